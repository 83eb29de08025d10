import { Button, EmptyState, useText } from '@platen/ui'

/** A page that is loaded again gets the present version of the program. */
export function CrashPage() {
  const text = useText()
  return (
    <div role="alert">
      <EmptyState
        level={1}
        icon="warning"
        title={text('common.crashTitle')}
        action={
          <Button look="primary" onPress={() => location.reload()}>
            {text('common.reload')}
          </Button>
        }
      >
        {text('common.crashHelp')}
      </EmptyState>
    </div>
  )
}
