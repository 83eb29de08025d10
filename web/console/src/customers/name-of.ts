import type { Customer } from '@platen/client'

/** What the shop knows a customer by. */
export const nameOf = ({ name, email, externalId, id }: Customer): string => name ?? email ?? externalId ?? id
