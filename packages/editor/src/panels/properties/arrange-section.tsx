import { ToolBar } from '@platen/ui'
import { useEditor } from '../../state/use-editor.ts'
import { ActionButton } from '../bars/action-button.tsx'
import { Section } from './fields/section.tsx'

/** Aligns, distributes and orders the selected layers. */
export function ArrangeSection() {
  const { text } = useEditor()
  return (
    <Section title="arrange">
      <ToolBar aria-label={text('align')} className="pe-wide">
        <ActionButton action="alignLeft" icon="align-left" />
        <ActionButton action="alignCenter" icon="align-center" />
        <ActionButton action="alignRight" icon="align-right" />
        <ActionButton action="alignTop" icon="align-top" />
        <ActionButton action="alignMiddle" icon="align-middle" />
        <ActionButton action="alignBottom" icon="align-bottom" />
      </ToolBar>
      <ToolBar aria-label={text('order')} className="pe-wide">
        <ActionButton action="distributeHorizontally" icon="distribute-horizontal" />
        <ActionButton action="distributeVertically" icon="distribute-vertical" />
        <ActionButton action="front" icon="order-front" />
        <ActionButton action="forward" icon="arrow-up" />
        <ActionButton action="backward" icon="arrow-down" />
        <ActionButton action="back" icon="order-back" />
      </ToolBar>
    </Section>
  )
}
