import { basename, join } from 'node:path'
import { namesIn } from './programs/names-in.ts'
import { clusterFolder } from './site.ts'

/** The folder in which an upgrade builds the new database. It has the layout of a data folder. */
export function upgradeFolder(dataDir: string): string {
  return join(dataDir, 'database-upgrade')
}

/**
 * Tells whether an upgrade ended between the two renames with which the new, complete database takes the place of the
 * earlier one. Without this check, the next start would create an empty database.
 */
export async function isUpgradeInterrupted(dataDir: string): Promise<boolean> {
  const [names, built] = await Promise.all([namesIn(dataDir), namesIn(upgradeFolder(dataDir))])
  const name = basename(clusterFolder(dataDir))
  return !names.includes(name) && names.some((one) => /^postgres-\d+$/.test(one)) && built.includes(name)
}
