// Writes the generated files of packages/client from openapi.json. Usage: npm run client
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { developerCommand } from './lib/developer-command.ts'
import { GENERATED, generateClient } from './lib/sdk/generate-client.ts'
import { allProblemCodes } from './lib/sdk/problem-codes.ts'

developerCommand('npm run client', 'Write the generated files of packages/client from openapi.json.').parse()

const document = JSON.parse(readFileSync(join(import.meta.dirname, '../openapi.json'), 'utf8'))
mkdirSync(GENERATED, { recursive: true })
for (const [name, text] of Object.entries(generateClient(document, allProblemCodes()))) {
  writeFileSync(join(GENERATED, name), text)
}
