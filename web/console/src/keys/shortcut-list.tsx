import { Dialog, Switch, useTexts } from '@platen/ui'
import { keyNames } from './key-names.ts'
import { type KnownShortcut, switchShortcuts, useKnownShortcuts, useShortcutsOn } from './shortcuts.ts'

/** The keys that do something on the present page. */
export function ShortcutList({ onClose }: { onClose(): void }) {
  const { text } = useTexts()
  const shortcuts = useKnownShortcuts().filter(({ keys, isHere }) => keys !== undefined && isHere?.() !== false)
  const isOn = useShortcutsOn()
  const own = shortcuts.filter(({ isGlobal = false }) => !isGlobal)
  return (
    <Dialog title={text('console.shortcuts')} isOpen onClose={onClose} closeLabel={text('common.close')} size="small">
      {own.length === 0 ? null : <ShortcutGroup title={text('console.shortcutsHere')} shortcuts={own} />}
      <ShortcutGroup
        title={text('console.shortcutsEverywhere')}
        shortcuts={shortcuts.filter(({ isGlobal = false }) => isGlobal)}
      />
      <Switch isSelected={isOn} onChange={switchShortcuts}>
        {text('console.shortcutsOn')}
      </Switch>
    </Dialog>
  )
}

function ShortcutGroup({ title, shortcuts }: { title: string; shortcuts: readonly KnownShortcut[] }) {
  return (
    <section className="shortcuts">
      <h3>{title}</h3>
      <dl>
        {shortcuts.map(({ id, keys = '', title: effect }) => (
          <div key={id}>
            <dt>{effect}</dt>
            <dd>
              {keyNames(keys).map((key, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: a key can be pressed twice
                <kbd key={`${index} ${key}`} className="pl-keys">
                  {key}
                </kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
