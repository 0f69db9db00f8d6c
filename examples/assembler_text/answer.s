        li   t0, 42
self:   j    self            # a bare run ends here
