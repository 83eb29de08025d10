import type { BatchSummary } from '@platen/client'
import { useTexts } from '@platen/ui'
import { keepPreviousData, type UseQueryResult, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { cataloguePage } from '../../catalogue/page.ts'
import { productListQuery, templateListQuery } from '../../catalogue/queries.ts'
import { nameOf } from '../../customers/name-of.ts'
import { customersPage } from '../../customers/page.ts'
import { customerListQuery } from '../../customers/queries.ts'
import { developersPage } from '../../developers/page.ts'
import { endpointListQuery, requestListQuery } from '../../developers/queries.ts'
import { isRequestId } from '../../developers/requests/request-filter.ts'
import { batchName } from '../../orders/batches/batch-name.ts'
import { batchesPage } from '../../orders/batches/page.ts'
import { batchListQuery } from '../../orders/batches/queries.ts'
import { ordersPage } from '../../orders/page.ts'
import { orderListQuery } from '../../orders/queries.ts'
import { ORDER_STATUS } from '../../orders/status.ts'
import { peoplePage } from '../../people/page.ts'
import { userListQuery } from '../../people/queries.ts'
import { settingsPage } from '../../settings/page.ts'
import { methodListQuery } from '../../settings/queries.ts'
import type { ConsolePage } from '../../shell/console-page.ts'
import type { Command } from './command.ts'

/** Between keystrokes and the search. */
const PAUSE_MS = 150
const MOST_ORDERS = 8
const MOST_OTHERS = 4

/** Of records that the service does not search, the newest ones of this number are. */
const SEARCHED = 100

interface Records {
  records: readonly Command[]
  /** Whether records of the present words can still follow. */
  isSearching: boolean
}

/** Returns the records that match the words. Only what the user may open is searched. */
export function useRecords(words: string, pages: readonly ConsolePage[]): Records {
  const [asked, setAsked] = useState('')
  useEffect(() => {
    const timer = setTimeout(() => setAsked(words), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [words])
  const found = useFound(asked, ({ path }) => asked.length > 1 && pages.some((page) => page.path === path))
  const named = useNamed(words, ({ path }) => words.length > 1 && pages.some((page) => page.path === path))
  if (words.length < 2) return { records: [], isSearching: false }
  return {
    records: [...found.commandsOf(words), ...named.commands],
    isSearching: asked !== words || found.isSearching || named.isSearching,
  }
}

type IsSearched = (page: ConsolePage) => boolean

/** What the service finds. Until it has responded, the last result is shown. */
function useFound(asked: string, isSearched: IsSearched) {
  const { text } = useTexts()
  const searchOf = (page: ConsolePage) => ({ enabled: isSearched(page), placeholderData: keepPreviousData })
  const orders = useQuery({ ...orderListQuery({ q: asked, limit: MOST_ORDERS }), ...searchOf(ordersPage) })
  const customers = useQuery({ ...customerListQuery({ q: asked, limit: MOST_OTHERS }), ...searchOf(customersPage) })
  const products = useQuery({ ...productListQuery({ q: asked, limit: MOST_OTHERS }), ...searchOf(cataloguePage) })
  const people = useQuery({ ...userListQuery({ q: asked, limit: MOST_OTHERS }), ...searchOf(peoplePage) })
  const requests = useQuery({
    ...requestListQuery({ requestId: asked, limit: 1 }),
    ...searchOf(developersPage),
    // The log is searched by whole ids only.
    ...(isRequestId(asked) ? {} : { enabled: false }),
  })
  const searches = [orders, customers, products, people, requests]
  const commandsOf = (words: string): Command[] => [
    ...(orders.data?.data ?? []).map(({ id, number, shippingAddress, status }) => ({
      id,
      icon: ordersPage.icon,
      title: number,
      note: `${shippingAddress.name} · ${text(ORDER_STATUS[status].text)}`,
      href: `/orders/${id}`,
    })),
    ...(customers.data?.data ?? []).map((customer) => ({
      id: customer.id,
      icon: customersPage.icon,
      title: nameOf(customer),
      note: text('console.customer'),
      href: `/customers/${customer.id}`,
    })),
    ...(products.data?.data ?? []).map(({ id, name }) => ({
      id,
      icon: cataloguePage.icon,
      title: name,
      note: text(cataloguePage.title),
      href: `/catalogue/${id}`,
    })),
    ...(people.data?.data ?? []).map(({ id, email, name }) => ({
      id,
      icon: peoplePage.icon,
      title: email,
      note: [name, text(peoplePage.title)].filter((part) => part !== null).join(' · '),
      href: `/people/${id}`,
    })),
    ...(isRequestId(words) ? (requests.data?.data ?? []) : []).map(({ id, method, route, status }) => ({
      id,
      icon: developersPage.icon,
      title: `${method} ${route ?? text('consoleDevelopers.unknownPath')}`,
      note: String(status),
      href: `/developers/requests/${id}`,
    })),
  ]
  return { commandsOf, isSearching: searches.some(isUnderWay) }
}

const isUnderWay = ({ isLoading, isFetching, isPlaceholderData }: UseQueryResult): boolean =>
  isLoading || (isFetching && isPlaceholderData)

/** Records of which a shop has few, so that the palette reads them and compares their names itself. */
function useNamed(words: string, isSearched: IsSearched) {
  const texts = useTexts()
  const { text } = texts
  const searchOf = (page: ConsolePage) => ({ enabled: isSearched(page) })
  const batches = useQuery({ ...batchListQuery({ limit: SEARCHED }), ...searchOf(batchesPage) })
  const templates = useQuery({
    ...templateListQuery({ view: 'summary', limit: SEARCHED }),
    ...searchOf(cataloguePage),
  })
  const endpoints = useQuery({ ...endpointListQuery(), ...searchOf(developersPage) })
  const methods = useQuery({ ...methodListQuery(), ...searchOf(settingsPage) })
  const matching = <Row>(
    rows: readonly Row[] | undefined,
    searched: (row: Row) => string,
    commandOf: (row: Row) => Command,
  ): Command[] =>
    (rows ?? [])
      .filter((row) => searched(row).toLowerCase().includes(words))
      .slice(0, MOST_OTHERS)
      .map(commandOf)
  const nameOfBatch = (batch: BatchSummary): string => batchName(texts, batch)
  const commands: Command[] = [
    ...matching(batches.data?.data, nameOfBatch, (batch) => ({
      id: batch.id,
      icon: batchesPage.icon,
      title: nameOfBatch(batch),
      note: text('console.batch'),
      href: `/batches/${batch.id}`,
    })),
    ...matching(
      templates.data?.data,
      ({ name }) => name,
      ({ id, name }) => ({
        id,
        icon: cataloguePage.icon,
        title: name,
        note: text('consoleCatalogue.template'),
        href: `/catalogue/templates?template=${id}`,
      }),
    ),
    ...matching(
      endpoints.data,
      ({ url, description }) => `${url} ${description ?? ''}`,
      ({ id, url, description }) => ({
        id,
        icon: developersPage.icon,
        title: url,
        note: description ?? text('consoleDevelopers.webhooks'),
        href: `/developers/webhooks/${id}`,
      }),
    ),
    ...matching(
      methods.data,
      ({ name }) => name,
      ({ id, name }) => ({
        id,
        icon: settingsPage.icon,
        title: name,
        note: text('consoleSettings.shippingMethods'),
        href: `/settings/shipping/${id}`,
      }),
    ),
  ]
  return { commands, isSearching: [batches, templates, endpoints, methods].some(isUnderWay) }
}
