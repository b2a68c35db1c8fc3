"""Formulas that rebuild the shipped tableaux from their forms, and why the others cannot be rebuilt."""

FEET = ("WSP", "FtBin", "Trochaic", "Iambic", "Parse", "MainRight", "AFL")
REBUILT = {
    "overt_stress": {name: name for name in FEET},
    "dutch_final_devoicing": {
        "*VoicedCoda": "*[-son,+voice].",
        "Ident-IO(voice)": "Ident[voice]",
        "*VoicedObstruent": "*[-son,+voice]",
    },
    "final_devoicing_forms": {
        "*VoicedCoda": "*[-son,+voice].",
        "Ident-IO(voice)": "Ident[voice]",
        "*VoicedObstruent": "*[-son,+voice]",
        "Max": "Max",
    },
    "cv_syllable_typology": {
        "Onset": r"/\.[Vv]/",
        "NoCoda": r"/[Cc]\./",
        "Parse": "/</",
        "Fill-Ons": "/c/",
        "Fill-Nuc": "/v/",
    },
    "japanese_loanword_devoicing": {
        "Id": "Ident[voice] / _V",  # a geminate changes once
        "OCP": "*[-son,+voice]V[-son,+voice]",
        "*VcdGem": "/bb|dd|gg/",
    },
    "nasal_place_assimilation": {
        "*GESTURE": "Agree[place]",
        "*REPLACE(n,m)": "*Map(n,m)",
        "*REPLACE(t,p)": "*Map(t,p)",
    },
    "td_deletion_chicano": {
        "*Ct": "*Ct#",
        "Max-Pre-V": "Max[t] /in _#V",
        "Max-Final": "Max[t] /in _##",
        "Max": "Max",
    },
    "td_deletion_impossible": {
        "*Ct": "*Ct#",
        "Max-Pre-V": "Max[t] /in _#V",
        "Max-Final": "Max[t] /in _##",
        "Max": "Max",
    },
    "ilokano_reduplication": {"*C-ONS": "*.CC", "AL": r"/b\.w/", "I_BR": r"/^bu\./"},
    "tagalog_nasal_substitution": {
        "NasSub": "/^m[pb]/",
        "*NC": "/mp/",
        "*Assoc": "/substituted/",
        "*[ng": "/^ŋ/",
        "*[n": "/^n/",
        "*[m": "/^m(?![pb])/",
    },
}
OTHERS = {
    "finnish_genitive_plural_motifs": "the constraints are about stressed syllables; no stress is written",
    "spanish_diminutive": "BaseTooLittle is about the word that a form is derived from",
    "harmonic_bounding_demo": "its candidates are names, not forms",
    "inconsistent_demo": "its candidates are names, not forms",
    "lin2005_table1": "its candidates are names, not forms",
    "lin2005_table2": "its candidates are names, not forms",
    "speakers_and_words": "its inputs stand for twelve words before C or V, not for forms",
}
