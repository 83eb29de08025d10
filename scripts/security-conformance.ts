// Writes docs/SECURITY-CONFORMANCE.md, which lists the tests of each requirement.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { conformanceDocument } from './lib/checks/security-conformance.ts'

writeFileSync(join(import.meta.dirname, '../docs/SECURITY-CONFORMANCE.md'), conformanceDocument())
