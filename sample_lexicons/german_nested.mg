# title: German nested dependencies
# source: written for this project; the mirror image of dutch_cross_serial
# what: Objects and verbs nest, NP1 NP2 NP3 V3 V2 V1, so merge alone is enough
@convention seed
@start c

dass :: =s c
schwimmen :: n0
helfen :: n0= d= n0
sah :: n0= d= p
ε :: =p d= s
jan :: d
marie :: d
piet :: d

@sentence 1 | dass jan piet schwimmen sah
@sentence 1 | dass jan marie piet schwimmen helfen sah
@sentence 0 | dass jan piet sah schwimmen
@sentence 0 | dass jan marie piet sah helfen schwimmen
