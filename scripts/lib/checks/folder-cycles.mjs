import { dirname } from 'node:path'

/**
 * Finds import cycles between the folders below `root`. A file directly in `root` counts as a folder of its own,
 * because such a file is either shared by all folders or composes them.
 *
 * @param {string} root such as `src/auth`
 * @param {Iterable<[from: string, to: string]>} imports pairs of file paths
 * @returns {string[][]} each cycle as a list of folders that ends with the first folder
 */
export function findFolderCycles(root, imports) {
  const isInside = (file) => file.startsWith(`${root}/`)
  const folderOf = (file) => (dirname(file) === root ? file : dirname(file))
  const graph = new Map()
  for (const [from, to] of imports) {
    if (!isInside(from) || !isInside(to) || folderOf(from) === folderOf(to)) continue
    graph.set(folderOf(from), (graph.get(folderOf(from)) ?? new Set()).add(folderOf(to)))
  }
  const cycles = []
  const finished = new Set()
  const visit = (folder, path) => {
    const start = path.indexOf(folder)
    if (start !== -1) cycles.push([...path.slice(start), folder])
    if (start !== -1 || finished.has(folder)) return
    for (const next of graph.get(folder) ?? []) visit(next, [...path, folder])
    finished.add(folder)
  }
  for (const folder of graph.keys()) visit(folder, [])
  return cycles
}
