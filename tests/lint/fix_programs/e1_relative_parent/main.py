from pkg.sub.use import check

print(check())
