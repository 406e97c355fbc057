a
d
c
b
d


c
b
d
d
