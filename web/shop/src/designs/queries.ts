import { OWN, platen, session } from '@platen/app/session'
import type { Design, ListedDesign } from '@platen/client'
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'

export const designsQuery = () =>
  infiniteQueryOptions({
    queryKey: [OWN, 'designs'],
    queryFn: ({ pageParam, signal }) =>
      platen.designs.list({ view: 'summary', limit: 24, cursor: pageParam }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
    enabled: session.state().account.kind !== 'none',
  })

export const designQuery = (designId: string) =>
  queryOptions<Design>({
    queryKey: [OWN, 'design', designId],
    queryFn: ({ signal }) => platen.designs.get(designId, { signal }),
  })

/** The bytes of a preview. A revision never changes, so neither does its preview. */
export const previewQuery = ({ id, revision }: Pick<ListedDesign, 'id' | 'revision'>, area: string, width: number) =>
  queryOptions({
    queryKey: [OWN, 'preview', id, revision, area, width],
    queryFn: async ({ signal }) => {
      const response = await platen.designs.preview(id, { printAreaId: area, width }, { accept: 'image/webp', signal })
      return response.blob()
    },
    staleTime: Number.POSITIVE_INFINITY,
  })

const LINK_SECONDS = 3_600

/** The URL of the print file, which the browser can open without a credential. */
export const printLinkQuery = (designId: string) =>
  queryOptions({
    queryKey: [OWN, 'print', designId],
    queryFn: ({ signal }) =>
      platen.designs.createLink(designId, { file: 'print', expiresInSeconds: LINK_SECONDS }, { signal }),
    staleTime: (LINK_SECONDS / 2) * 1_000,
    refetchInterval: (LINK_SECONDS / 2) * 1_000,
  })
