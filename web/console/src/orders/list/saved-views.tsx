import { readStored, store } from '@platen/app/session'
import { Button, Icon, TextField, useTexts } from '@platen/ui'
import { useState } from 'react'
import { Link } from 'wouter'
import { FormDialog } from '../../parts/form/form-dialog.tsx'
import { problemText } from '../../shell/problem-text.ts'
import type { ListState } from './use-list-state.ts'

interface SavedView {
  name: string
  /** The URL of the table with its filters, below that of the console. */
  url: string
}

/** More would hide the table. */
const MOST = 20
const PATH = '/orders'

const isView = (value: unknown): value is SavedView => {
  const { name, url } = (value ?? {}) as Partial<SavedView>
  return typeof name === 'string' && typeof url === 'string' && (url === PATH || url.startsWith(`${PATH}?`))
}

interface Views {
  views: readonly SavedView[]
  /** The table as it is shown. */
  present: string
  /** The view that is shown. */
  saved: SavedView | undefined
  change(views: readonly SavedView[]): void
}

/** The views of a user in this browser. They are links with filters, and contain no orders. */
export function useSavedViews(userId: string, state: ListState): Views {
  const stored = `platen.orderViews.${userId}` as const
  const [views, setViews] = useState(() => readViews(readStored(stored)))
  const present = state.urlWith({})
  return {
    views,
    present,
    saved: views.find(({ url }) => url === present),
    change: (next) => {
      store(stored, next.length === 0 ? undefined : JSON.stringify(next))
      setViews(next)
    },
  }
}

function readViews(json: string | undefined): readonly SavedView[] {
  try {
    const value: unknown = JSON.parse(json ?? '[]')
    return Array.isArray(value) ? value.filter(isView).slice(0, MOST) : []
  } catch {
    return []
  }
}

/** Filters that a user has given a name, as links. */
export function SavedViews({ views, present, saved, change }: Views) {
  const { text } = useTexts()
  if (views.length === 0) return null
  return (
    <nav className="views saved-views" aria-label={text('console.savedViews')}>
      <ul>
        {views.map(({ name, url }) => (
          <li key={name}>
            <Link href={url} {...(url === present ? { 'aria-current': 'page' } : {})}>
              {name}
            </Link>
          </li>
        ))}
        {saved === undefined ? null : (
          <li>
            <Button look="quiet" onPress={() => change(views.filter((one) => one !== saved))}>
              <Icon name="close" size={16} />
              {text('console.removeView', { name: saved.name })}
            </Button>
          </li>
        )}
      </ul>
    </nav>
  )
}

/** Gives the filters that apply now a name. */
export function SaveView({ views, present, saved, change }: Views) {
  const { text } = useTexts()
  const [isNaming, setNaming] = useState(false)
  if (present === PATH || saved !== undefined || views.length >= MOST) return null
  return (
    <>
      <Button look="quiet" onPress={() => setNaming(true)}>
        <Icon name="plus" size={16} />
        {text('console.saveView')}
      </Button>
      {isNaming ? (
        <NameDialog
          onClose={() => setNaming(false)}
          onDone={(name) => {
            change([...views.filter((one) => one.name !== name), { name, url: present }])
            setNaming(false)
          }}
        />
      ) : null}
    </>
  )
}

const NOTHING_SENT = { isPending: false, error: null }

function NameDialog({ onClose, onDone }: { onClose(): void; onDone(name: string): void }) {
  const { text } = useTexts()
  const [name, setName] = useState('')
  return (
    <FormDialog
      title={text('console.saveView')}
      confirmLabel={text('console.saveViewNow')}
      isDisabled={name.trim() === ''}
      action={NOTHING_SENT}
      problemText={problemText}
      onConfirm={() => onDone(name.trim())}
      onClose={onClose}
    >
      <TextField
        label={text('console.viewName')}
        description={text('console.saveViewHelp')}
        maxLength={40}
        isRequired
        autoFocus
        value={name}
        onChange={setName}
      />
    </FormDialog>
  )
}
