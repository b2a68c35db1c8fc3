# title: Attachment ambiguity with questions
# source: written for this project
# what: A prepositional phrase joins the verb phrase or the noun; VB weighs the two by how often each word was seen
@convention seed
@start c
@alpha 0.5

what :: d -wh
you :: d
the :: =n d
park :: n
telescope :: n
with :: =d n= n
see :: =d d= v
in :: =d v= v
with :: =d v= v
did :: =v i
ε :: =i +wh c
ε :: =v c

@sentence 1 | what did you see
@sentence 1 | what did you see
@sentence 1 | what did you see
@sentence 1 | what did you see
@sentence 1 | what did you see
@sentence 1 | what did you see
@sentence 1 | you see the park
@sentence 1 | you see the park
@sentence 1 | you see the park
@sentence 1 | you see the park
@sentence 1 | what did you see in the park
@sentence 1 | what did you see in the park
@sentence 1 | what did you see in the park
@sentence 2 | what did you see in the park with the telescope
@sentence 2 | you see the park with the telescope
@sentence 2 | you see the park with the telescope
@sentence 1 | you see you
@sentence 0 | did you see what
