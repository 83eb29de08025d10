import { useText } from '@platen/ui'

/** Takes the place of a page while its program or its data are loading. */
export function Loading() {
  const text = useText()
  return (
    <div className="loading" role="status">
      <span className="spinner" aria-hidden />
      <span>{text('common.loading')}</span>
    </div>
  )
}
