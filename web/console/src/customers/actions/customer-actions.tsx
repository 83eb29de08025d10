import { MoreTexts } from '@platen/app/frame'
import type { Customer, OwnUser } from '@platen/client'
import { Button, type MessageKey, useTexts } from '@platen/ui'
import { useState } from 'react'
import { mayUse } from '../../access/may-use.ts'
import { useShortcuts } from '../../keys/shortcuts.ts'
import { DeleteDialog } from './delete-dialog.tsx'
import { EditDialog } from './edit-dialog.tsx'
import { MergeDialog } from './merge-dialog.tsx'
import { TokenDialog } from './token-dialog.tsx'

interface CustomerActionsProps {
  customer: Customer
  user: OwnUser
}

const DIALOGS = { edit: EditDialog, token: TokenDialog, merge: MergeDialog, delete: DeleteDialog }
type DialogName = keyof typeof DIALOGS

const TITLES: Readonly<Record<DialogName, MessageKey>> = {
  edit: 'consoleCustomers.edit',
  token: 'consoleCustomers.issueToken',
  merge: 'consoleCustomers.merge',
  delete: 'consoleCustomers.delete',
}

/** What the user may do with a customer. The account of a customer belongs to its owner, so less is possible with it. */
export function CustomerActions(props: CustomerActionsProps) {
  if (!mayUse(props.user, 'customers:write')) return null
  return (
    <MoreTexts groups={['account', 'consoleCustomers']} fallback={null}>
      <Actions {...props} />
    </MoreTexts>
  )
}

function Actions({ customer, user }: CustomerActionsProps) {
  const { text } = useTexts()
  const [open, setOpen] = useState<DialogName>()
  const Open = open === undefined ? undefined : DIALOGS[open]
  const actions = actionsOf(customer, user)
  useShortcuts(
    actions.map((name) => ({
      ...(name === 'edit' ? { keys: 'e' } : {}),
      title: TITLES[name],
      run: () => setOpen(name),
    })),
  )
  return (
    <>
      {actions.map((name) => (
        <Button key={name} look={name === 'delete' ? 'danger' : 'normal'} onPress={() => setOpen(name)}>
          {text(TITLES[name])}
        </Button>
      ))}
      {Open === undefined ? null : <Open customer={customer} onClose={() => setOpen(undefined)} />}
    </>
  )
}

function actionsOf({ hasAccount }: Customer, { role }: OwnUser): readonly DialogName[] {
  if (!hasAccount) return ['edit', 'token', 'merge', 'delete']
  return role === 'admin' ? ['edit', 'delete'] : ['edit']
}
