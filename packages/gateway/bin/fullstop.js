#!/usr/bin/env node
// Plain JavaScript and not built, because npm links a command when it installs, before anything is built.
await import("../dist/cli.js");
