-- A charge is first held (authorized), then taken (captured), and what the provider calls it is known before money can
-- move. `action_required`: the customer has to prove who they are. `releasing`: nobody wants the money any more, and what
-- the provider holds or took has to go back.
alter table payment_attempts
  add column reference text,
  drop constraint payment_attempts_status_check,
  add constraint payment_attempts_status_check check (status in (
    'open', 'action_required', 'authorized', 'captured', 'declined', 'unanswered', 'releasing', 'released'
  ));

-- Two charges at once cannot even be begun.
drop index payment_attempts_one_open;
create unique index payment_attempts_one_live on payment_attempts (payment_id)
  where status in ('open', 'action_required', 'authorized');
drop index payment_attempts_open;
create index payment_attempts_unsettled on payment_attempts (leased_until)
  where status in ('open', 'action_required', 'authorized', 'releasing');
create index payment_attempts_by_payment on payment_attempts (payment_id);
create unique index payment_attempts_by_reference on payment_attempts (provider, reference) where reference is not null;

-- What was asked to be given back and is not yet: nobody else can promise it.
alter table payments
  add column refunding_amount bigint not null default 0,
  drop constraint payments_refunded,
  add constraint payments_refunded check (
    refunded_amount >= 0 and refunding_amount >= 0 and refunded_amount + refunding_amount <= captured_amount
  );

-- A refund is written with its amount reserved before the provider is asked for it.
alter table refunds
  add column status text not null default 'succeeded' check (status in ('pending', 'succeeded', 'failed')),
  -- Through whom: 'manual' is given back by hand. Null: written by a version that knew no others.
  add column provider text,
  add column reference text,
  -- Why the provider refused it, in its own terms.
  add column failure text,
  -- Until then a process that asked the provider may still be waiting for the answer.
  add column leased_until timestamptz,
  add column tries int not null default 0,
  -- Who asked for it, for the timeline.
  add column actor text check (actor in ('customer', 'operator', 'system')),
  add column actor_id text;
create index refunds_pending on refunds (leased_until) where status = 'pending';
create unique index refunds_by_reference on refunds (provider, reference) where reference is not null;

create index shipment_items_by_item on shipment_items (item_id);
