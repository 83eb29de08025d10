import { Button, Icon, Popover, useTexts } from '@platen/ui'

export interface Refused {
  title: string
  reason: string
}

/** The actions that are not possible now, by their reasons: most of them often have the same one. */
export function NotPossible({ refused }: { refused: readonly Refused[] }) {
  const { text } = useTexts()
  if (refused.length === 0) return null
  const groups = [...Map.groupBy(refused, ({ reason }) => reason)]
  return (
    <Popover
      aria-label={text('console.notPossible')}
      placement="bottom end"
      trigger={
        <Button look="quiet" isIcon aria-label={text('console.notPossible')}>
          <Icon name="info" size={20} />
        </Button>
      }
    >
      <div className="refused">
        <h2>{text('console.notPossible')}</h2>
        <dl>
          {groups.map(([reason, actions]) => (
            <div key={reason}>
              <dt>{actions.map(({ title }) => title).join(', ')}</dt>
              <dd>{reason}</dd>
            </div>
          ))}
        </dl>
      </div>
    </Popover>
  )
}
