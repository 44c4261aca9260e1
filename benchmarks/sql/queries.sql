-- total
select count(*), sum(dur_ns), min(dur_ns), max(dur_ns) from slices;
-- by name
select name, count(*), sum(dur_ns), avg(dur_ns), min(dur_ns), max(dur_ns) from slices group by name order by 3 desc, 1 limit 20;
-- by category and name
select category, name, count(*), sum(dur_ns) from slices group by category, name order by 4 desc, 1, 2 limit 20;
-- per track
select count(*), sum(dur_ns) from slices group by track order by 1, 2;
-- kernels of a tenth of the time, by name
select name, count(*), sum(dur_ns) from slices where category = 'kernel' and ts_ns >= $FROM and ts_ns < $TO group by name order by 3 desc, 1 limit 20;
-- names with a pattern
select count(*), sum(dur_ns) from slices where name like '%elementwise%';
-- slowest
select dur_ns from slices order by dur_ns desc limit 20;
-- rows of a millisecond
select ts_ns, dur_ns, name from slices where ts_ns between $BUSY and $BUSY + 1000000 order by ts_ns, dur_ns desc, name;
-- 99th percentile by kernel
select name, percentile(dur_ns, 99) from slices where category = 'kernel' group by name order by 2 desc, 1 limit 20;
-- calls by the slice around them
select p.name, count(*), sum(c.dur_ns) from slices c join slices p on p.id = c.parent_id group by p.name order by 2 desc, 1 limit 20;
