#!/usr/bin/env node
import { run } from './cli/program.js'

run(process.argv.slice(2)).then((code) => process.exit(code))
