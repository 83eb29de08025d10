import { type Static, Type } from 'typebox'
import { pageOf } from '../../../platform/http/responses/pagination.ts'
import type { StorageAccount } from '../../../platform/storage/index.ts'
import { Closed } from '../../schemas.ts'
import { customerIdOf } from '../../users/customer-id.ts'
import type { Owner } from './store.ts'

const Quota = Type.Union([Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }), Type.Null()], {
  description: 'Own quota of the account in bytes; `null` stands for the default.',
})

export const StorageTotals = Type.Object(
  {
    used: Type.Integer({
      minimum: 0,
      description: 'Bytes that all accounts store, as `used` of `GET /me/storage` counts them.',
    }),
    defaultQuota: Type.Union([Type.Integer(), Type.Null()], {
      description: 'Quota of accounts without their own, in bytes (`PLATEN_STORAGE_QUOTA_MIB`); `null` means no limit.',
    }),
  },
  { ...Closed, title: 'StorageTotals' },
)

export const StorageAccountBody = Type.Object(
  {
    userId: Type.String(),
    customerId: Type.String({ description: 'Id of the account as a customer.' }),
    kind: Type.Union([Type.Literal('account'), Type.Literal('customer'), Type.Literal('guest')], {
      description: '`customer`: a customer without a sign-in.',
    }),
    email: Type.Union([Type.String(), Type.Null()]),
    name: Type.Union([Type.String(), Type.Null()]),
    used: Type.Integer({ minimum: 0, description: 'As in `GET /me/storage`, in bytes.' }),
    quota: Type.Union([Type.Integer(), Type.Null()], {
      description: 'The limit that applies, in bytes; `null` means no limit.',
    }),
    storageQuota: Quota,
  },
  { ...Closed, title: 'StorageAccount' },
)
export type StorageAccountBody = Static<typeof StorageAccountBody>

export const StorageAccountPage = pageOf(StorageAccountBody)

export const AccountParams = Type.Object(
  { accountId: Type.String({ description: 'Id of the user or of the customer.' }) },
  Closed,
)

export const QuotaChange = Type.Object({ storageQuota: Quota }, Closed)

export function toStorageAccountBody(owner: Owner, { used, quota, ownQuota }: StorageAccount): StorageAccountBody {
  const { id, kind, email, name } = owner
  return { userId: id, customerId: customerIdOf(id), kind, email, name, used, quota, storageQuota: ownQuota }
}
