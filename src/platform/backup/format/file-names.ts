import { isBackupId } from './manifest.ts'

/** Returns the name of the manifest of a backup. */
export function fileOf(id: string): string {
  return `${id}.json`
}

/** Returns the ids of manifests with these file names, oldest first. */
export function idsIn(names: readonly string[]): string[] {
  return names
    .map((name) => name.replace(/\.json$/, ''))
    .filter(isBackupId)
    .sort()
}
