-- Former ids of uploads. When two accounts become one, an upload of bytes that both have keeps the id of one of them.
-- Documents keep naming the other: rewriting them would hold a transaction open for seconds, and readers of events wait
-- for the oldest one.
create table asset_aliases (
  id text primary key,
  asset_id text not null references assets (id) on delete cascade
);
create index asset_aliases_by_asset on asset_aliases (asset_id);
