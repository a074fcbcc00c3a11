"""The QEMU rig: boots a small Linux guest, hibernates it, wakes it, and weighs the evidence."""
