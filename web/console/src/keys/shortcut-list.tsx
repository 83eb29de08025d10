import { Dialog, Switch, useTexts } from '@platen/ui'
import { switchShortcuts, useKnownShortcuts, useShortcutsOn } from './shortcuts.ts'

/** The keys that do something on the present page. */
export function ShortcutList({ onClose }: { onClose(): void }) {
  const { text } = useTexts()
  const shortcuts = useKnownShortcuts()
  const isOn = useShortcutsOn()
  return (
    <Dialog title={text('console.shortcuts')} isOpen onClose={onClose} closeLabel={text('common.close')} size="small">
      <dl className="shortcuts">
        <div>
          <dt>{text('console.find')}</dt>
          <dd>
            <kbd className="pl-keys">Ctrl</kbd> <kbd className="pl-keys">K</kbd>
          </dd>
        </div>
        {shortcuts.map(({ keys, title }) => (
          <div key={keys}>
            <dt>{text(title)}</dt>
            <dd>
              {keys.split(' ').map((key) => (
                <kbd key={key} className="pl-keys">
                  {key}
                </kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
      <Switch isSelected={isOn} onChange={switchShortcuts}>
        {text('console.shortcutsOn')}
      </Switch>
    </Dialog>
  )
}
