-- no transaction
-- The new customers of a whole network (/24, or /48 of IPv6), whose groups begin with the same three characters.
create index concurrently newcomers_of_networks on newcomers (left(network, 3)) where has_stored;
