import { Button, EmptyState, useText } from '@platen/ui'

/** A page that is loaded again gets the present version of the program. */
export function CrashPage() {
  const text = useText()
  return (
    <div role="alert">
      <EmptyState
        level={1}
        icon="warning"
        title={text('shop.crashTitle')}
        action={
          <Button look="primary" onPress={() => location.reload()}>
            {text('shop.reload')}
          </Button>
        }
      >
        {text('shop.crashHelp')}
      </EmptyState>
    </div>
  )
}
