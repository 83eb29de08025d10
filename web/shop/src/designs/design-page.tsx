import { Loading, part, useTitle } from '@platen/app/frame'
import { OWN, useAccount } from '@platen/app/session'
import type { Design } from '@platen/client'
import { useTexts } from '@platen/ui'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useState } from 'react'
import { Redirect, useLocation } from 'wouter'
import { Failure } from '../shell/failures/failure.tsx'
import { DesignHeader } from './design-header.tsx'
import { designQuery } from './queries.ts'

const Editor = part(() => import('./editor.tsx'), 'Editor')
// Downloads the editor while the design is read. A failure is reported where the editor is shown.
Editor.preload().catch(() => undefined)

/** The editor on the whole screen, below a slim header. */
export function DesignPage({ designId }: { designId: string }) {
  const { text } = useTexts()
  const account = useAccount()
  const { data, error, refetch } = useQuery({ ...designQuery(designId), enabled: account.kind !== 'none' })
  // The editor stays once it is shown: it may have changes that the service does not have, also when the design was
  // finalized elsewhere, or when another account is signed in.
  const [opened, setOpened] = useState<Design>()
  if (opened === undefined && data !== undefined && data.status !== 'finalized') setOpened(data)
  if (opened !== undefined) return <DesignEditor design={data ?? opened} />
  if (data?.status === 'finalized') return <Redirect to={`/designs/${designId}/finished`} replace />
  if (account.kind === 'none') return <Redirect to={`/sign-in?next=/designs/${designId}`} replace />
  if (error === null) return <Loading />
  return <Failure error={error} onRetry={() => void refetch()} missing={text('shop.problemDesignNotFound')} />
}

function DesignEditor({ design }: { design: Design }) {
  const { id } = design
  const client = useQueryClient()
  const [, navigate] = useLocation()
  useTitle(design.name)
  const leave = useCallback(
    (to: string) => {
      void client.invalidateQueries({ queryKey: [OWN] })
      navigate(to)
    },
    [client, navigate],
  )
  const finish = useCallback(() => leave(`/designs/${id}/finished`), [leave, id])
  const open = useCallback((copy: Design) => leave(`/designs/${copy.id}`), [leave])
  return (
    <div className="design-page">
      <DesignHeader design={design} />
      <Editor designId={id} onFinalized={finish} onCopied={open} />
    </div>
  )
}
