/** Joins the names of classes. Leaves out those that do not apply. */
export function classes(...names: (string | false | undefined)[]): string {
  return names.filter((name) => name !== undefined && name !== false).join(' ')
}
