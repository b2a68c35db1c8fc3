[]::[=v,c].         []::[=v,+wh,c].
[knows]::[=c,=d,v]. [says]::[=c,=d,v].
[likes]::[=d,=d,v]. [sleeps]::[=d,v].
[the]::[=n,d].      [which]::[=n,d,-wh].
[dog]::[n].         [cat]::[n].
startCategory(c).
