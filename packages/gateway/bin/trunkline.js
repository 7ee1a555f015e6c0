#!/usr/bin/env node
// The build makes what is imported here; the package manager links this file before anything is built.
import "../dist/bin.js";
