"""Classical OT analysis: rankings under which the winners win, and languages of the constraints.

::

    Tableau ---winner_ercs---> ERCs ---demotion---> strata       both in rank.py
                                 |----reduction---> the rankings that the winners require
                                 '----typology----> every language, with one ranking each
"""
