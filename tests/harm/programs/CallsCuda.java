// SPDX-License-Identifier: Apache-2.0
// Calls CUDA from Java, in several threads, with the garbage collector at work.
public final class CallsCuda {
    static native int call();

    static void callAndAllocate() {
        for (int i = 0; i < 20; ++i) {
            if (call() != 1 || new byte[1 << 20].length == 0) {
                System.out.println("CUDA does not work");
            }
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        System.load(System.getenv("PROGRAMS") + "/libcalls_cuda.so");
        Thread[] threads = new Thread[4];
        for (int i = 0; i < threads.length; ++i) {
            threads[i] = new Thread(CallsCuda::callAndAllocate);
            threads[i].start();
        }
        for (Thread each : threads) {
            each.join();
        }
        System.gc();
        System.out.println("done");
    }
}
