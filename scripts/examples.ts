/** Writes docs/openapi/examples.json, the examples of the OpenAPI document, from the responses of a real service. */
import { writeFileSync } from 'node:fs'
import { EXAMPLES_FILE } from '../src/platform/http/operations/document/examples.ts'
import { recordExamples } from '../test/examples/record-examples.ts'
import { developerCommand } from './lib/developer-command.ts'

developerCommand('npm run examples', 'Write docs/openapi/examples.json from the responses of a real service.').parse()

const cleanups: (() => unknown)[] = []
const examples = await recordExamples({ after: (clean) => void cleanups.push(clean as () => unknown) })
for (const clean of cleanups) await clean()
writeFileSync(EXAMPLES_FILE, `${JSON.stringify(examples, null, 2)}\n`)
console.log(`${Object.keys(examples.operations).length} operations, ${Object.keys(examples.events).length} events`)
process.exit()
