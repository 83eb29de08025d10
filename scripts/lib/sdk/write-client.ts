import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ContractDocument } from './client-operations.ts'
import { GENERATED, generateClient } from './generate-client.ts'
import { allProblemCodes } from './problem-codes.ts'

/** Writes the generated files of packages/client. */
export function writeClient(document: ContractDocument): void {
  mkdirSync(GENERATED, { recursive: true })
  for (const [name, text] of Object.entries(generateClient(document, allProblemCodes()))) {
    writeFileSync(join(GENERATED, name), text)
  }
}
