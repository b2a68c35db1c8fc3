# title: English auxiliaries: head movement and affix hopping
# source: written for this project, with the rules of Stabler 2001
# what: Have, be, do and modals invert in questions, at most one at a time; the affixes -s, -en and -ing hop onto a verb
@convention seed
@start c

she :: nom -k
him :: acc
who :: acc -wh
sleep :: V
see :: =acc V
ε :: =>V nom= v
-ing :: ==>v prog
be :: =prog be
-en :: ==>v perf
-en :: ==>be perf
have :: =perf have
do :: =v do
# tense: on a verb by hopping (t), or on an auxiliary (aux), which can move on to c
-s :: ==>v +k t
-s :: =>be +k aux
-s :: =>have +k aux
-s :: =>do +k aux
will :: =v +k aux
will :: =be +k aux
will :: =have +k aux
ε :: =t c
ε :: =aux c
ε :: =>aux c
ε :: =>aux +wh c

@sentence 1 | she see -s him
@sentence 1 | she will see him
@sentence 1 | will she see him
@sentence 1 | do -s she see him
@sentence 1 | have -s she see -en him
@sentence 1 | she be -s see -ing him
@sentence 1 | be -s she sleep -ing
@sentence 1 | who do -s she see
@sentence 1 | who have -s she see -en
@sentence 1 | she will have be -en see -ing him
@sentence 1 | will she have be -en see -ing him
@sentence 0 | see -s she him
@sentence 0 | she see him
@sentence 0 | she -s see him
@sentence 0 | will have she see -en him
@sentence 0 | have she will see -en him
@sentence 0 | who she will see
