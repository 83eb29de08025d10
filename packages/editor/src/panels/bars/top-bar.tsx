import { ToolBar, ToolBarGap } from '@platen/ui'
import type { ReactNode } from 'react'
import { useEditor } from '../../state/use-editor.ts'
import { ActionButton } from './action-button.tsx'
import { FinalizeButton, PreflightButton } from './finish-buttons.tsx'
import { InsertButtons } from './insert-buttons.tsx'
import { SideTabs } from './side-tabs.tsx'
import { ZoomControl } from './zoom-control.tsx'

export interface TopBarProps {
  /** Whether the changes are saved. */
  status?: ReactNode
}

export function TopBar({ status }: TopBarProps) {
  const { text } = useEditor()
  return (
    <header className="pe-top-bar" part="toolbar" data-pe-own-keys>
      <ToolBar aria-label={text('tools')} className="pe-tools">
        <ActionButton action="undo" icon="undo" />
        <ActionButton action="redo" icon="redo" />
        <div className="pe-wide-only">
          <ToolBarGap />
          <InsertButtons />
        </div>
      </ToolBar>
      <SideTabs />
      <div className="pe-bar-end">
        <div className="pe-wide-only">
          <ZoomControl />
        </div>
        <div className="pe-status">{status}</div>
        <PreflightButton />
        <FinalizeButton />
      </div>
    </header>
  )
}
