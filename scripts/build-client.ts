// Compiles packages/client into packages/client/dist, before it is published. Usage: npm run build -w @platen/client
import { join } from 'node:path'
import { buildClient } from './lib/build/build-client.ts'

await buildClient(join(import.meta.dirname, '../packages/client/dist'))
