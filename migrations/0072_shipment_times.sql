-- The time at which a parcel was handed to the carrier. Null: when it was recorded, as for all parcels before this column.
alter table shipments add column shipped_at timestamptz;
