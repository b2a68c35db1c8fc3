"""Classical OT analysis: rankings that make the winners win, and the languages constraints allow.

::

    Tableau ---winner_ercs---> ERCs ---demotion---> strata       rank.py puts both together
                                 |----reduction---> what the data say about the ranking
                                 '----typology----> every language, with one ranking each
"""
