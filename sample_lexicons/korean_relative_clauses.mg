# title: Korean relative clauses: before their noun, subject and object gaps
# source: written for this project; the analysis of Yun et al. (2015), who follow Kayne (1994, chapter 8)
# what: Relative clauses before their noun: the clause moves across the head noun; a subject moves less far than an object
# kica "reporter", uywon "senator", silswu "mistake"; -ka nominative, -ul accusative; kongkyekha- "attack",
# siinha- "admit"; -n of a relative clause, -ta of a main one. The case markers are written in one form each.
@convention seed
@start c

kica :: n
uywon :: n
silswu :: n
-ka :: n= d -nom
-ul :: n= acc
# the head noun of a relative clause, whose case is not spoken: a subject, an object
ε :: n= d -nom -rel
ε :: n= acc -rel
kongkyekha :: acc= V
siinha :: acc= V
ε :: V= d= v
-ta :: v= +nom c
# the relative clause: its noun moves to the front (-rel), then the rest moves in front of it (-p)
-n :: v= +nom t -p
ε :: =t +rel r
ε :: =r +p n

@sentence 1 | kica -ka silswu -ul siinha -ta
@sentence 1 | uywon -ul kongkyekha -n kica -ka silswu -ul siinha -ta
@sentence 1 | uywon -ka kongkyekha -n kica -ka silswu -ul siinha -ta
@sentence 0 | uywon -ul kongkyekha -n silswu -ul siinha -ta
@sentence 1 | kica -ka uywon -ul kongkyekha -n silswu -ul siinha -ta
