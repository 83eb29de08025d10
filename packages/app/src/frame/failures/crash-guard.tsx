import { Component, type ReactNode } from 'react'
import { CrashPage } from './crash-page.tsx'

interface CrashGuardProps {
  /** The page. Another one gets another chance. */
  path: string
  children: ReactNode
}

interface CrashGuardState {
  crashedAt: string | undefined
}

/** Shows a page with a way on if a page fails, for example because a part of the program could not be downloaded. */
export class CrashGuard extends Component<CrashGuardProps, CrashGuardState> {
  override state: CrashGuardState = { crashedAt: undefined }

  static getDerivedStateFromError(): Partial<CrashGuardState> {
    return { crashedAt: location.pathname }
  }

  override render(): ReactNode {
    return this.state.crashedAt === this.props.path ? <CrashPage /> : this.props.children
  }
}
