import type { CreateApiKeyRequest, Permission } from '@platen/client'
import { useTexts } from '@platen/ui'
import { useState } from 'react'

const DAY_MS = 86_400_000

/** Days until a key expires. */
const LIFETIMES = ['30', '90', '365', 'never'] as const
type Lifetime = (typeof LIFETIMES)[number]

/** What an API key will be, while its fields are filled in. */
export function useNewKey() {
  const { text } = useTexts()
  const [name, setName] = useState('')
  const [permissions, setPermissions] = useState<readonly Permission[]>([])
  const [lifetime, setLifetime] = useState<Lifetime>('90')
  const expiry = (): Pick<CreateApiKeyRequest, 'expiresAt'> =>
    lifetime === 'never' ? {} : { expiresAt: new Date(Date.now() + Number(lifetime) * DAY_MS).toISOString() }
  return {
    name,
    setName,
    permissions,
    toggle: (permission: Permission, isChosen: boolean): void =>
      setPermissions((before) => (isChosen ? [...before, permission] : before.filter((one) => one !== permission))),
    /** The field for when the key expires. */
    expiryField: {
      label: text('account.expires'),
      choices: LIFETIMES.map((id) => ({
        id,
        text: id === 'never' ? text('account.noExpiry') : text('account.days', { count: Number(id) }),
      })),
      value: lifetime,
      onChange: (id: string): void => setLifetime(LIFETIMES.find((known) => known === id) ?? '90'),
    },
    /** The request that creates the key. The time until it expires begins now. */
    request: (): CreateApiKeyRequest => ({ name: name.trim(), permissions: [...permissions], ...expiry() }),
  }
}
