# title: English relative clauses: subject and object gaps
# source: written for this project; the promotion analysis of Kayne (1994, chapter 8), as in Yun et al. (2015)
# what: A relative clause with a gap for its subject is easier than one with a gap for its object; right-branching is easier than embedding in the centre
# The sentences are those of Gibson (1998) and their like. The head noun begins inside the relative clause,
# moves in front of who (-h) and with it to the front of the clause (-rel). Memory metrics of these
# analyses: Graf, Monette & Zhang (2017).
@convention seed
@start c

reporter :: n
senator :: n
error :: n
reporter :: n -h
senator :: n -h
error :: n -h
the :: =n d -nom
the :: =n acc
the :: =r d -nom
the :: =r acc
who :: =n +h d -nom -rel
who :: =n +h acc -rel
attacked :: =acc V
admitted :: =acc V
met :: =acc V
ε :: =V d= v
ε :: =v +nom t
ε :: =t +rel r
ε :: =t c

@sentence 1 | the reporter admitted the error
@sentence 1 | the reporter who attacked the senator admitted the error
@sentence 1 | the reporter who the senator attacked admitted the error
@sentence 1 | the senator met the reporter who attacked the senator
@sentence 1 | the senator met the reporter who the senator attacked
@sentence 1 | the reporter who the senator who met the reporter attacked admitted the error
@sentence 1 | the reporter met the senator who met the reporter who attacked the senator
@sentence 1 | the reporter who the senator who the reporter met attacked admitted the error
@sentence 0 | the reporter who attacked admitted the error
@sentence 0 | the reporter who the senator admitted the error
@sentence 0 | who the reporter attacked the senator
