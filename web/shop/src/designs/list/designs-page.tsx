import { Loading, Page } from '@platen/app/frame'
import { useAccount } from '@platen/app/session'
import { Button, EmptyState, useTexts } from '@platen/ui'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { Failure } from '../../shell/failures/failure.tsx'
import { KeepHint } from '../keep-hint.tsx'
import { designsQuery } from '../queries.ts'
import { DesignCard } from './design-card.tsx'
import { useLeaving } from './leaving.ts'

export function DesignsPage() {
  const { text } = useTexts()
  const account = useAccount()
  const list = useInfiniteQuery({ ...designsQuery(), enabled: account.kind !== 'none' })
  const left = useLeaving()
  if (list.isError) return <Failure error={list.error} onRetry={() => void list.refetch()} />
  if (account.kind !== 'none' && list.data === undefined) return <Loading />
  const designs = list.data?.pages
    .flatMap(({ data }) => data)
    .filter(({ id, status }) => status !== 'archived' && !left.has(id))
  return (
    <Page
      title={text('shop.designs')}
      width="wide"
      actions={
        <Link href="/" className="pl-button">
          {text('shop.newDesign')}
        </Link>
      }
    >
      {account.kind === 'guest' && designs?.length !== 0 ? <KeepHint /> : null}
      {designs === undefined || designs.length === 0 ? (
        <NoDesigns isVisitor={account.kind === 'none'} />
      ) : (
        <ul className="cards">
          {designs.map((design) => (
            <DesignCard key={design.id} design={design} />
          ))}
        </ul>
      )}
      {list.hasNextPage ? (
        <div className="more">
          <Button isPending={list.isFetchingNextPage} onPress={() => void list.fetchNextPage()}>
            {text('common.showMore')}
          </Button>
        </div>
      ) : null}
    </Page>
  )
}

function NoDesigns({ isVisitor }: { isVisitor: boolean }) {
  const { text } = useTexts()
  return (
    <EmptyState
      icon="layers"
      title={text('shop.noDesigns')}
      action={
        <div className="row">
          <Link href="/" className="pl-button primary">
            {text('shop.chooseProduct')}
          </Link>
          {isVisitor ? (
            <Link href="/sign-in" className="pl-button">
              {text('common.signIn')}
            </Link>
          ) : null}
        </div>
      }
    >
      {text(isVisitor ? 'shop.noDesignsVisitor' : 'shop.noDesignsHelp')}
    </EmptyState>
  )
}
