# title: Crossed and nested verb clusters, Dutch and German
# source: written for this project; verb clusters by head movement (Evers 1975), as Kobele, Gerth & Hale (2013) compare them
# what: One structure, two orders of the verbs: Dutch crosses, V1 V2 V3, and is read more easily than German, which nests, V3 V2 V1
# Each verb joins the one above it: at its right in Dutch (V<=), at its left in German (=>V). The cluster
# moves on to t, and what is left, the noun phrases, in front of it (-f). Readers of the two languages:
# Bach, Brown & Marslen-Wilson (1986).
@convention seed
@start c

jan :: d
marie :: d
piet :: d
dat :: =t c
zwemmen :: =d V
helpen :: V<= =d V
zag :: V<= =d v -f
ε :: =>v +f t
dass :: =T c
schwimmen :: =d W
helfen :: =>W =d W
sah :: =>W =d w -f
ε :: =>w +f T

@sentence 1 | dat jan piet zag zwemmen
@sentence 1 | dat jan marie piet zag helpen zwemmen
@sentence 1 | dat jan marie piet jan zag helpen helpen zwemmen
@sentence 1 | dass jan piet schwimmen sah
@sentence 1 | dass jan marie piet schwimmen helfen sah
@sentence 1 | dass jan marie piet jan schwimmen helfen helfen sah
@sentence 0 | dat jan piet zwemmen zag
@sentence 0 | dass jan piet sah schwimmen
