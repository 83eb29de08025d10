-- no transaction
-- What deleted accounts of a network (/24, or /48 of IPv6) have left.
create index concurrently storage_former_use_of_networks on storage_former_use (left(network, 3)) where network is not null;
