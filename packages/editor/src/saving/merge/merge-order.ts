export interface MergedOrder {
  ids: string[]
  /** The sides exclude each other, and the own order won. */
  hasKeptOrder: boolean
}

export interface Orders {
  base: readonly string[]
  mine: readonly string[]
  theirs: readonly string[]
}

/**
 * Merges the order of ids. Each pair is ordered as the side says that changed it. Of ids that both sides added in the
 * same place, those of one side stay together.
 *
 * @param kept the ids of the result; each is in `mine` or `theirs`
 */
export function mergeOrder({ base, mine, theirs }: Orders, kept: ReadonlySet<string>): MergedOrder {
  const own = mine.filter((id) => kept.has(id))
  const other = theirs.filter((id) => kept.has(id))
  const places = { base: placesOf(base), mine: placesOf(own), theirs: placesOf(other) }
  const { before, contradicts } = pairsOf(places)
  const all = sort([...new Set([...own, ...other])], before, places)
  const common =
    all === undefined
      ? sort(
          own.filter((id) => places.theirs.has(id)),
          before,
          places,
        )
      : undefined
  if (contradicts()) return { ids: insertAdded(own, [other]), hasKeptOrder: true }
  if (all !== undefined) return { ids: all, hasKeptOrder: false }
  // One side added a layer between layers that the other side ordered anew.
  if (common !== undefined) return { ids: insertAdded(common, [own, other]), hasKeptOrder: false }
  return { ids: insertAdded(own, [other]), hasKeptOrder: true }
}

type Places = ReadonlyMap<string, number>

interface AllPlaces {
  base: Places
  mine: Places
  theirs: Places
}

const placesOf = (ids: readonly string[]): Places => new Map(ids.map((id, index) => [id, index]))

function pairsOf({ base, mine, theirs }: AllPlaces) {
  let hasContradiction = false
  /** Tells whether an id comes before another one; undefined if no side has both. */
  const before = (one: string, other: string): boolean | undefined => {
    const own = isBefore(mine, one, other)
    const there = isBefore(theirs, one, other)
    if (own === undefined || there === undefined || own === there) return own ?? there
    const earlier = isBefore(base, one, other)
    if (earlier === undefined) hasContradiction = true
    return own === earlier ? there : own
  }
  return { before, contradicts: () => hasContradiction }
}

function isBefore(places: Places, one: string, other: string): boolean | undefined {
  const [first, second] = [places.get(one), places.get(other)]
  return first === undefined || second === undefined ? undefined : first < second
}

/** Sorts ids so that all pairs agree. Returns undefined if they exclude each other. */
function sort(
  ids: readonly string[],
  before: (one: string, other: string) => boolean | undefined,
  places: AllPlaces,
): string[] | undefined {
  const rest = new Set(ids)
  const waitsFor = new Map(ids.map((id) => [id, ids.filter((one) => one !== id && before(one, id) === true).length]))
  const sorted: string[] = []
  while (rest.size > 0) {
    const free = [...rest].filter((id) => waitsFor.get(id) === 0)
    const next = chooseNext(free, sorted.at(-1), places)
    if (next === undefined) return undefined
    rest.delete(next)
    sorted.push(next)
    for (const id of rest) if (before(next, id) === true) waitsFor.set(id, (waitsFor.get(id) ?? 0) - 1)
  }
  return sorted
}

/** Prefers an id of the side that the last one is from, so that layers which were added together stay together. */
function chooseNext(
  free: readonly string[],
  last: string | undefined,
  { mine, theirs }: AllPlaces,
): string | undefined {
  const sideOf = (id: string): string => `${mine.has(id)} ${theirs.has(id)}`
  const ofSide = last === undefined ? [] : free.filter((id) => sideOf(id) === sideOf(last))
  const candidates = ofSide.length > 0 ? ofSide : free
  return candidates.reduce<string | undefined>(
    (least, id) => (least === undefined || id < least ? id : least),
    undefined,
  )
}

/** Adds the ids that only one side has, each run of them after the id that it follows there. */
function insertAdded(ids: readonly string[], sides: readonly (readonly string[])[]): string[] {
  const known = new Set(ids)
  const runs = sides.flatMap((side) => runsOf(side, known)).sort((one, other) => (one.first < other.first ? 1 : -1))
  const result = [...ids]
  for (const { after, added } of runs) {
    result.splice(after === undefined ? 0 : result.indexOf(after) + 1, 0, ...added)
  }
  return result
}

interface Run {
  /** Undefined at the beginning. */
  after: string | undefined
  first: string
  added: string[]
}

function runsOf(side: readonly string[], known: ReadonlySet<string>): Run[] {
  const runs: Run[] = []
  let run: Run | undefined
  for (const [index, id] of side.entries()) {
    if (known.has(id)) {
      run = undefined
    } else if (run === undefined) {
      run = { after: side[index - 1], first: id, added: [id] }
      runs.push(run)
    } else run.added.push(id)
  }
  return runs
}
