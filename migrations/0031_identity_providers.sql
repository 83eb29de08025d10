-- The operator can configure further providers, so the names are no longer known here. The previous release reads
-- identities of any provider and adds only those that it knows.

alter table identities drop constraint identities_provider_check;
