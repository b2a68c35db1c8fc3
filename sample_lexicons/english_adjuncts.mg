# title: English adjuncts: old, often, with the telescope
# source: written for this project, with the rule of Frey & Gärtner 2002
# what: Adjuncts before and behind what they adjoin to; they may be left out, repeated, and ordered in several ways
@convention seed
@start t

mary :: d
the :: =n d
man :: n
telescope :: n
old :: ≈n
with :: =d n≈
slept :: v
saw :: =d v
often :: ≈v
quietly :: v≈
with :: =d v≈
yesterday :: t≈
ε :: =v d= t

@sentence 1 | mary slept
@sentence 1 | mary often slept
@sentence 1 | mary often often slept
@sentence 2 | mary often slept quietly
@sentence 1 | mary slept quietly yesterday
@sentence 1 | mary saw the old old man
@sentence 2 | mary saw the man with the telescope
@sentence 3 | mary saw the old man with the telescope
@sentence 3 | mary often saw the man with the telescope
@sentence 0 | mary slept often
@sentence 0 | often mary slept
@sentence 0 | mary quietly slept
@sentence 0 | mary slept yesterday quietly
@sentence 0 | mary saw the man old
