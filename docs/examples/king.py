g = [ ([],[('sel','V'),('cat','C')]),
      ([],[('sel','V'),('pos','wh'),('cat','C')]),
      (['knows'],[('sel','C'),('sel','D'),('cat','V')]),
      (['likes'],[('sel','D'),('sel','D'),('cat','V')]),
      (['the'],[('sel','N'),('cat','D')]),
      (['which'],[('sel','N'),('cat','D'),('neg','wh')]),
      (['dog'],[('cat','N')]),
      (['cat'],[('cat','N')]) ]
