# title: German verb second: the finite verb moves to c
# source: written for this project, with the rules of Stabler 2001
# what: Verbs are last in clauses with dass; in main clauses the finite one moves and one phrase precedes it, none in yes-no questions
@convention seed
@start c s

der mann :: nom
der mann :: nom -top
den hund :: acc
den hund :: acc -top
wer :: nom -wh
wen :: acc -wh
sieht :: acc= nom= v
gesehen :: acc= nom= part
hat :: part= v
dass :: =v s
ε :: =>v +top c
ε :: =>v +wh c
ε :: =>v c

@sentence 1 | der mann sieht den hund
@sentence 1 | den hund sieht der mann
@sentence 1 | sieht der mann den hund
@sentence 1 | dass der mann den hund sieht
@sentence 1 | der mann hat den hund gesehen
@sentence 1 | den hund hat der mann gesehen
@sentence 1 | hat der mann den hund gesehen
@sentence 1 | dass der mann den hund gesehen hat
@sentence 1 | wen sieht der mann
@sentence 1 | wen hat der mann gesehen
@sentence 1 | wer sieht den hund
@sentence 0 | der mann den hund sieht
@sentence 0 | dass der mann sieht den hund
@sentence 0 | der mann hat gesehen den hund
@sentence 0 | der mann gesehen hat den hund
@sentence 0 | wer den hund sieht
