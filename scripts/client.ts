// Writes the generated files of packages/client from openapi.json. Usage: npm run client
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { developerCommand } from './lib/developer-command.ts'
import { writeClient } from './lib/sdk/write-client.ts'

developerCommand('npm run client', 'Write the generated files of packages/client from openapi.json.').parse()
writeClient(JSON.parse(readFileSync(join(import.meta.dirname, '../openapi.json'), 'utf8')))
